" Moods of a MoodBoard host, for Vim 9. Put this folder on the runtimepath, or source this file.
" :Moods lists the moods and follows every change, by any program. In the list: a adds, f marks as a favorite, s shares,
" <CR> opens, r looks again. The host is started by the first command, and anew after it has ended.
" Neovim has no channels of this kind: it takes lua/moodboard.lua.

if has('nvim') || exists('g:loaded_moodboard') | finish | endif
let g:loaded_moodboard = 1
set encoding=utf-8
scriptencoding utf-8

let g:mood_command = get(g:, 'mood_command', ['moodboard'])
let g:mood_limit = get(g:, 'mood_limit', 200)

let s:subscribed = 0
let s:timer = 0
" Milliseconds until a host that could not be reached is tried again.
let s:pause = 1000
let s:ids = []
let s:shown = ''

" The host -----------------------------------------------------------------------------------------------------

function! s:Connect() abort
  " The channel of a host that was killed closes a moment before Vim knows that the process has ended.
  if exists('s:job') && job_status(s:job) ==# 'run' && ch_status(s:job) ==# 'open' | return | endif
  if !executable(g:mood_command[0])
    throw 'there is no program ' .. g:mood_command[0] .. '; install it or set g:mood_command'
  endif
  let s:subscribed = 0
  let s:job = job_start(g:mood_command,
        \ #{mode: 'lsp', err_io: 'null', out_cb: function('s:Hear'), exit_cb: function('s:Ended')})
  " The buffers follow this one now.
  call s:Later(200)
endfunction

" Asks the host, and waits; the result, or an exception.
function! MoodCall(method, params) abort
  call s:Connect()
  let answer = ch_evalexpr(s:job, #{method: a:method, params: a:params}, #{timeout: 10000})
  if type(answer) != v:t_dict || empty(answer)
    throw 'the host ended, or did not answer within 10 seconds'
  elseif has_key(answer, 'error')
    throw answer.error.message
  endif
  return answer.result
endfunction

" After many events one look.
function! s:Hear(channel, message) abort
  if get(a:message, 'method', '') !=# 'events.event' | return | endif
  " Too many came while Vim was busy: the subscription has ended.
  if get(a:message.params, 'lagged', v:false) | let s:subscribed = 0 | endif
  call s:Later(200)
endfunction

function! s:Ended(job, status) abort
  if a:job isnot s:job | return | endif
  let s:subscribed = 0
  call s:Later(s:pause)
endfunction

function! s:Later(milliseconds) abort
  if !s:timer && (bufloaded('moodboard://moods') || bufloaded('moodboard://mood'))
    let s:timer = timer_start(a:milliseconds, function('s:Look'))
  endif
endfunction

" The buffers --------------------------------------------------------------------------------------------------

" Asks for what the buffers show.
function! s:Look(...) abort
  let s:timer = 0
  if !bufloaded('moodboard://moods') && !bufloaded('moodboard://mood') | return | endif
  try
    call s:Connect()
    let s:pause = 1000
    if !s:subscribed
      let s:subscribed = 1
      call s:Ask('events.subscribe', #{topics: ['mood']}, {_ -> 0})
    endif
    if bufloaded('moodboard://moods') | call s:Ask('mood.list', #{limit: g:mood_limit}, function('s:DrawList')) | endif
    if bufloaded('moodboard://mood') | call s:Ask('mood.detail', #{id: s:shown}, function('s:DrawDetail')) | endif
  catch
    call s:Draw('moodboard://moods', ['moodboard: ' .. v:exception])
    let [s:ids, s:pause] = [[], min([60000, 2 * s:pause])]
    call s:Later(s:pause)
  endtry
endfunction

function! s:Ask(method, params, then) abort
  call ch_sendexpr(s:job, #{method: a:method, params: a:params},
        \ #{callback: {_, answer -> s:Take(a:method, answer, a:then)}})
endfunction

" An answer that is otherwise than it should be leaves what is shown.
function! s:Take(method, answer, then) abort
  if type(a:answer) != v:t_dict | return | endif
  try
    if type(get(a:answer, 'result')) == v:t_dict | call a:then(a:answer.result) | else | call s:Gone(a:method, a:answer) | endif
  catch
    echohl ErrorMsg | echomsg 'moodboard: the host has answered with what cannot be shown:' v:exception | echohl None
  endtry
endfunction

function! s:Gone(method, answer) abort
  if a:method ==# 'mood.detail' && has_key(a:answer, 'error') | call s:Draw('moodboard://mood', [a:answer.error.message]) | endif
endfunction

" A buffer need not be in a window; the cursor stays at its mood.
function! s:Draw(name, lines) abort
  let number = bufnr('^' .. a:name .. '$')
  if number < 0 || !bufloaded(number) | return | endif
  let before = len(getbufline(number, 1, '$'))
  call setbufvar(number, '&modifiable', 1)
  call setbufline(number, 1, a:lines)
  if before > len(a:lines) | silent call deletebufline(number, len(a:lines) + 1, '$') | endif
  call setbufvar(number, '&modifiable', 0)
endfunction

" One that is otherwise than a mood hides no other.
function! s:Line(mood) abort
  try
    return substitute(s:UsualLine(a:mood), '[[:cntrl:]]', ' ', 'g')
  catch
    return '  (a mood that cannot be shown)'
  endtry
endfunction

function! s:UsualLine(mood) abort
  let time = substitute(a:mood.timestamp[:15], 'T', ' ', '') .. ' UTC'
  let tags = join(map(copy(a:mood.tags), {_, tag -> ' #' .. tag}), '')
  return (a:mood.isFavorite ? '★ ' : '  ') .. a:mood.emoji .. ' ' .. a:mood.label .. '  ' .. time .. tags
endfunction

function! s:DrawList(page) abort
  if type(get(a:page, 'items')) != v:t_list | throw 'no list' | endif
  let windows = win_findbuf(bufnr('^moodboard://moods$'))
  let at = map(copy(windows), {_, window -> get(s:ids, line('.', window) - 1, '')})
  let lines = map(copy(a:page.items), {_, mood -> s:Line(mood)})
  if type(get(a:page, 'empty')) == v:t_dict | let lines = [a:page.empty.title, a:page.empty.hint] | endif
  call s:Draw('moodboard://moods', lines)
  let s:ids = map(copy(a:page.items), {_, mood -> type(mood) == v:t_dict ? get(mood, 'id', '') : ''})
  for number in range(len(windows))
    let line = index(s:ids, at[number]) + 1
    if line > 0 | call win_execute(windows[number], 'call cursor(' .. line .. ', 1)') | endif
  endfor
endfunction

" A cell as text; of a kind that is not known, what it says to those who cannot see it.
function! s:Cell(cell) abort
  if a:cell.type ==# 'hero' | return a:cell.emoji | endif
  if a:cell.type ==# 'info' | return a:cell.title .. ': ' .. a:cell.value | endif
  if index(['text', 'notes', 'relativeTime', 'hint'], a:cell.type) >= 0 | return a:cell.text | endif
  return get(get(a:cell, 'accessibility', {}), 'label', a:cell.type)
endfunction

function! s:AnyCell(cell) abort
  try
    return s:Cell(a:cell)
  catch
    return '(a cell that cannot be shown)'
  endtry
endfunction

function! s:DrawDetail(screen) abort
  let text = join(map(copy(a:screen.cells), {_, cell -> s:AnyCell(cell)}), "\n")
  call s:Draw('moodboard://mood', split(text, "\n", 1))
endfunction

function! s:Show(name) abort
  if bufloaded(a:name)
    execute 'buffer' bufnr('^' .. a:name .. '$')
    return
  endif
  execute 'hide edit' a:name
  setlocal buftype=nofile noswapfile nomodifiable bufhidden=hide
  for [key, command] in items(#{a: 'MoodAdd', f: 'MoodFavorite', s: 'MoodShare', r: 'Moods'})
    execute 'nnoremap <silent> <buffer>' key ':' .. command .. '<CR>'
  endfor
  nnoremap <silent> <buffer> <CR> :MoodOpen<CR>
endfunction

" Commands -----------------------------------------------------------------------------------------------------

" Runs a command, and shows what goes wrong.
function! s:Try(Command, ...) abort
  try
    call call(a:Command, a:000)
  catch
    echohl ErrorMsg | echomsg 'moodboard:' v:exception | echohl None
  endtry
endfunction

function! s:AtCursor() abort
  let id = bufname() ==# 'moodboard://mood' ? s:shown : bufname() ==# 'moodboard://moods' ? get(s:ids, line('.') - 1, '') : ''
  if empty(id) | throw 'there is no mood here' | endif
  return id
endfunction

function! s:List() abort
  call s:Connect()
  call s:Show('moodboard://moods')
  call s:Look()
endfunction

function! s:Add(...) abort
  let words = a:0 > 1 ? copy(a:000) : split(input('Emoji and label: '))
  if len(words) < 2 | return | endif
  let mood = MoodCall('mood.create', #{emoji: words[0], label: join(words[1:])})
  echomsg 'moodboard:' mood.emoji mood.label 'is recorded'
endfunction

function! s:Favorite() abort
  let mood = MoodCall('mood.toggleFavorite', #{id: s:AtCursor()})
  echomsg 'moodboard:' mood.label 'is' mood.isFavorite ? 'a favorite' : 'no favorite'
endfunction

" Into the unnamed register.
function! s:Share() abort
  let text = MoodCall('mood.share', #{id: s:AtCursor()}).text
  call setreg('"', text)
  echomsg substitute(text, "\n", ' · ', 'g')
endfunction

function! s:Open() abort
  let id = s:AtCursor()
  let screen = MoodCall('mood.detail', #{id: id})
  let s:shown = id
  call s:Show('moodboard://mood')
  call s:DrawDetail(screen)
endfunction

command! Moods call s:Try(function('s:List'))
command! -nargs=* MoodAdd call s:Try(function('s:Add'), <f-args>)
command! MoodFavorite call s:Try(function('s:Favorite'))
command! MoodShare call s:Try(function('s:Share'))
command! MoodOpen call s:Try(function('s:Open'))
