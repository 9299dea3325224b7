;;; moodboard.el --- Moods of a MoodBoard host  -*- lexical-binding: t; coding: utf-8 -*-

;; Version: 1.0
;; Package-Requires: ((emacs "28.1"))

;;; Commentary:

;; M-x moodboard lists the moods and follows every change, by any program.  `moodboard-mode', a global minor mode, has the same
;; commands under C-c m.  The host is started by the first command, and anew after it has ended.

;;; Code:

(require 'jsonrpc)
(require 'iso8601)

(defgroup moodboard nil "Moods of a MoodBoard host." :group 'applications)

(defcustom moodboard-command '("moodboard")
  "The host's program and its arguments."
  :type '(repeat string))

(defcustom moodboard-limit 200 "How many moods the list shows." :type 'integer)

(defconst moodboard--list "*moods*")
(defconst moodboard--detail "*mood*")
(defvar moodboard--host nil "The connection, while there is one.")
(defvar moodboard--subscription nil "What brings the events of this connection.")
(defvar moodboard--timer nil "Brings the next look at the moods.")
(defvar moodboard--pause 1 "Seconds until a host that could not be reached is tried again.")

;;; The host

(defun moodboard--connection ()
  "The connection to the host, which is started if it does not run."
  (unless (and moodboard--host (jsonrpc-running-p moodboard--host))
    (unless (executable-find (car moodboard-command))
      (user-error "There is no program %s; install it or set `moodboard-command'" (car moodboard-command)))
    (setq moodboard--subscription nil
          moodboard--host
          (apply #'make-instance 'jsonrpc-process-connection
                 :name "moodboard"
                 :notification-dispatcher #'moodboard--hear
                 :on-shutdown #'moodboard--ended
                 :process (lambda ()
                            (make-process :name "moodboard" :command moodboard-command :connection-type 'pipe
                                          :coding 'utf-8-emacs-unix :noquery t
                                          :stderr (get-buffer-create " *moodboard stderr*")))
                 ;; A log of all messages would cost more than the messages.
                 (if (version< emacs-version "30")
                     '(:events-buffer-scrollback-size 0)
                   '(:events-buffer-config (:size 0)))))
    (moodboard--filter (jsonrpc--process moodboard--host)))
  moodboard--host)

(defun moodboard--filter (process)
  "Have U+0000 in what PROCESS says read as U+FFFD.
The JSON reader of Emacs refuses a whole answer for one.  A note may have been
stored with it.  The length of the message stays."
  (let ((rest ""))
    (add-function :filter-args (process-filter process)
                  (lambda (args)
                    (let* ((text (concat rest (cadr args)))
                           ;; An escape may come in two pieces.
                           (end (or (string-match "\\\\\\(?:u0\\{0,3\\}\\)?\\'" text) (length text))))
                      (setq rest (substring text end))
                      (list (car args)
                            (replace-regexp-in-string "\\\\u0000" "\\ufffd" (substring text 0 end) t t)))))))

(defun moodboard-call (method &rest params)
  "Ask the host for METHOD with PARAMS, a property list; its result."
  (let ((host (moodboard--connection)))
    (condition-case failure
        (jsonrpc-request host method params :timeout 10)
      (error (user-error "moodboard: %s" (or (alist-get 'jsonrpc-error-message (cddr failure))
                                             (error-message-string failure)))))))

(defun moodboard--ask (method params then)
  "Ask the host for METHOD with PARAMS, and call THEN with its result later."
  (jsonrpc-async-request (moodboard--connection) method params
                         :success-fn then
                         :error-fn (lambda (failure) (moodboard--say (plist-get failure :message)))
                         :timeout-fn (lambda () (moodboard--say "the host does not answer"))))

(defun moodboard--hear (_host method params)
  "Look again after an event, METHOD with PARAMS; after many of them once."
  (when (eq method 'events.event)
    ;; Too many came while Emacs was busy: the subscription has ended.
    (when (eq (plist-get params :lagged) t) (setq moodboard--subscription nil))
    (moodboard--later 0.2)))

(defun moodboard--ended (host)
  "Try again when HOST has ended, as long as its moods are shown."
  (when (eq host moodboard--host)
    (setq moodboard--host nil moodboard--subscription nil)
    (moodboard--say "the host has ended")
    (moodboard--later moodboard--pause)))

;;; The list

(defun moodboard--shown ()
  "The buffers that show moods."
  (delq nil (list (get-buffer moodboard--list) (get-buffer moodboard--detail))))

(defun moodboard--say (text)
  "Show TEXT above the moods, where they cannot be had; nil takes it away."
  (dolist (buffer (moodboard--shown))
    (with-current-buffer buffer (setq header-line-format (and text (concat "moodboard: " text))))))

(defun moodboard--later (seconds)
  "Look at the moods again after SECONDS."
  (when (and (moodboard--shown) (not moodboard--timer))
    (setq moodboard--timer (run-at-time seconds nil #'moodboard--look))))

(defun moodboard--look ()
  "Ask for what the buffers show."
  (setq moodboard--timer nil)
  (condition-case failure
      (when (moodboard--shown)
        (moodboard--connection)
        (unless moodboard--subscription
          (setq moodboard--subscription 'asked)
          (moodboard--ask :events.subscribe '(:topics ["mood"]) #'ignore))
        (when (get-buffer moodboard--list)
          (moodboard--ask :mood.list `(:limit ,moodboard-limit) #'moodboard--draw-list))
        (when (get-buffer moodboard--detail)
          (moodboard--draw-detail-later (buffer-local-value 'moodboard--id (get-buffer moodboard--detail))))
        (setq moodboard--pause 1))
    (error (moodboard--say (error-message-string failure))
           (setq moodboard--pause (min 60 (* 2 moodboard--pause)))
           (moodboard--later moodboard--pause))))

(defun moodboard--line (mood)
  "MOOD as a line of the list; one that is otherwise than a mood hides no other."
  (condition-case nil
      (moodboard--usual-line mood)
    (error (propertize "  (a mood that cannot be shown)\n"
                       'moodboard-id (ignore-errors (plist-get mood :id))))))

(defun moodboard--usual-line (mood)
  "MOOD as a line of the list."
  (propertize (format "%s %s %s  %s%s\n"
                      (if (eq (plist-get mood :isFavorite) t) "★" " ")
                      (plist-get mood :emoji)
                      (propertize (plist-get mood :label) 'face 'bold)
                      (format-time-string "%F %R" (encode-time (iso8601-parse (plist-get mood :timestamp))))
                      (mapconcat (lambda (tag) (concat " #" tag)) (plist-get mood :tags) ""))
              'moodboard-id (plist-get mood :id)))

(defun moodboard--draw (name text)
  "Show TEXT in the buffer NAME; point stays at its mood or line."
  (when (get-buffer name)
    (with-current-buffer name
      (let ((inhibit-read-only t) (line (line-number-at-pos))
            (id (get-text-property (point) 'moodboard-id)))
        (erase-buffer)
        (insert text)
        (goto-char (point-min))
        (forward-line (1- line))
        (let ((place (and id (text-property-any (point-min) (point-max) 'moodboard-id id))))
          (when place (goto-char place)))))))

(defun moodboard--draw-list (page)
  "Show PAGE, the answer of mood.list; one that is no page leaves what is shown."
  (let ((items (plist-get page :items)) (empty (plist-get page :empty)))
    (if (not (vectorp items))
        (moodboard--say "the host has answered with no list")
      (moodboard--say nil)
      (moodboard--draw moodboard--list
                       (concat (mapconcat #'moodboard--line items "")
                               (when (plist-get empty :title)
                                 (format "%s\n%s\n" (plist-get empty :title) (plist-get empty :hint))))))))

;;; The detail of one mood

(defvar-local moodboard--id nil "The mood that the buffer shows.")

(defun moodboard--cell (cell)
  "CELL as text; of a kind that is not known, what it says to those who cannot see it."
  (or (ignore-errors (concat (moodboard--usual-cell cell))) "(a cell that cannot be shown)"))

(defun moodboard--usual-cell (cell)
  "CELL as text."
  (pcase (plist-get cell :type)
    ("hero" (propertize (plist-get cell :emoji) 'face '(:height 3.0)))
    ("text" (propertize (plist-get cell :text) 'face 'bold))
    ("info" (format "%-12s %s" (plist-get cell :title) (plist-get cell :value)))
    ("hint" (propertize (plist-get cell :text) 'face 'shadow))
    ((or "notes" "relativeTime") (plist-get cell :text))
    (_ (or (plist-get (plist-get cell :accessibility) :label) (plist-get cell :type)))))

(defun moodboard--draw-detail-later (id)
  "Ask for the screen of the mood ID, and show it."
  (jsonrpc-async-request (moodboard--connection) :mood.detail (list :id id)
                         :success-fn #'moodboard--draw-detail
                         :error-fn (lambda (failure)
                                     (moodboard--draw moodboard--detail (format "%s" (plist-get failure :message))))))

(defun moodboard--draw-detail (screen)
  "Show SCREEN, the answer of mood.detail."
  (let ((id (plist-get (plist-get screen :mood) :id)))
    (moodboard--draw moodboard--detail
                     (propertize (mapconcat (lambda (cell) (concat (moodboard--cell cell) "\n"))
                                            (plist-get screen :cells) "")
                                 'moodboard-id id))
    (with-current-buffer moodboard--detail (setq moodboard--id id))))

;;; Commands

(defvar moodboard-list-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map "a" #'moodboard-add)
    (define-key map "f" #'moodboard-favorite)
    (define-key map "s" #'moodboard-share)
    (define-key map (kbd "RET") #'moodboard-open)
    map))

(define-derived-mode moodboard-list-mode special-mode "Moods"
  "Moods: \\{moodboard-list-mode-map}"
  (setq-local revert-buffer-function (lambda (&rest _) (moodboard--look))))

(defun moodboard--at-point ()
  "The id of the mood at point."
  (or (get-text-property (point) 'moodboard-id) (user-error "There is no mood here")))

;;;###autoload
(defun moodboard ()
  "List the moods, and follow what changes."
  (interactive)
  (moodboard--connection)
  (with-current-buffer (get-buffer-create moodboard--list)
    (unless (derived-mode-p 'moodboard-list-mode) (moodboard-list-mode)))
  (pop-to-buffer moodboard--list)
  (moodboard--look))

;;;###autoload
(defun moodboard-add (emoji label)
  "Record a mood: EMOJI and LABEL."
  (interactive "sEmoji: \nsLabel: ")
  (moodboard-call :mood.create :emoji emoji :label label)
  (message "%s %s is recorded" emoji label))

(defun moodboard-favorite ()
  "Mark the mood at point as a favorite, or no longer."
  (interactive)
  (let ((mood (moodboard-call :mood.toggleFavorite :id (moodboard--at-point))))
    (message "%s is %s favorite" (plist-get mood :label) (if (eq (plist-get mood :isFavorite) t) "a" "no"))))

(defun moodboard-share ()
  "Put the mood at point on the kill ring, as text."
  (interactive)
  (let ((text (plist-get (moodboard-call :mood.share :id (moodboard--at-point)) :text)))
    (kill-new text)
    (message "%s" text)))

(defun moodboard-open ()
  "Show all of the mood at point."
  (interactive)
  (let* ((id (moodboard--at-point)) (screen (moodboard-call :mood.detail :id id)))
    (with-current-buffer (get-buffer-create moodboard--detail)
      (unless (derived-mode-p 'moodboard-list-mode) (moodboard-list-mode)))
    (moodboard--draw-detail screen)
    (pop-to-buffer moodboard--detail)))

;;;###autoload
(define-minor-mode moodboard-mode
  "Commands for moods under C-c m: m lists, a adds, f marks, s shares, o opens."
  :global t
  :keymap (let ((map (make-sparse-keymap)))
            (define-key map (kbd "C-c m m") #'moodboard)
            (define-key map (kbd "C-c m a") #'moodboard-add)
            (define-key map (kbd "C-c m f") #'moodboard-favorite)
            (define-key map (kbd "C-c m s") #'moodboard-share)
            (define-key map (kbd "C-c m o") #'moodboard-open)
            map))

(provide 'moodboard)
;;; moodboard.el ends here
