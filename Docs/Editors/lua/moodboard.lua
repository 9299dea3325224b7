-- Moods of a MoodBoard host, for Neovim. Put this folder on the runtimepath, and require("moodboard").setup().
-- :Moods lists the moods and follows every change, by any program. In the list: a adds, f marks as a favorite, s shares,
-- <CR> opens, r looks again. The host is started by the first command, and anew after it has ended.

local M = { command = { "moodboard" }, limit = 200 }

local host -- the connection, while there is one
local waiting = {} -- what has no answer yet
local subscribed = false
local timer = false -- whether a look at the moods is to come
local pause = 1000 -- milliseconds until a host that could not be reached is tried again
local list, detail -- the buffers, once they are there
local ids = {} -- of the lines of the list
local shown -- the mood that the detail shows

local function fail(text)
  vim.notify("moodboard: " .. text, vim.log.levels.ERROR)
end

local function is_shown(buffer)
  return buffer and vim.api.nvim_buf_is_loaded(buffer)
end

-- The host ----------------------------------------------------------------------------------------------------

local function later(milliseconds)
  if timer or not (is_shown(list) or is_shown(detail)) then return end
  timer = true
  vim.defer_fn(function()
    timer = false
    M.look()
  end, milliseconds)
end

-- After many events one look.
local function hear(method, params)
  if method ~= "events.event" then return end
  -- Too many came while Neovim was busy: the subscription has ended.
  if params.lagged then subscribed = false end
  later(200)
end

local function ended(started)
  if host ~= started then return end
  local failed = waiting
  host, waiting, subscribed = nil, {}, false
  for _, done in pairs(failed) do done("the host ended before it answered") end
  later(pause)
end

local function connect()
  if host then return true end
  local program = M.command[1]
  if vim.fn.executable(program) == 0 then return false, "there is no program " .. program .. "; install it" end
  local started
  local dispatchers = { notification = hear, on_exit = vim.schedule_wrap(function() ended(started) end) }
  if vim.fn.has("nvim-0.11") == 1 then
    started = vim.lsp.rpc.start(M.command, dispatchers)
  else
    started = vim.lsp.rpc.start(program, vim.list_slice(M.command, 2), dispatchers)
  end
  if not started then return false, program .. " cannot be started" end
  host = started
  return true
end

-- Asks the host. done(problem, result) is called later, with a text or nil as the problem.
function M.call(method, params, done)
  local is_there, problem = connect()
  if not is_there then return done(problem) end
  local key = {}
  waiting[key] = done
  local is_sent = host.request(method, params or vim.empty_dict(), function(failure, result)
    if not waiting[key] then return end
    waiting[key] = nil
    -- An answer without a result is no answer.
    if not failure and (result == nil or result == vim.NIL) then failure = { message = "the host has answered with nothing" } end
    done(failure and tostring(failure.message), result)
  end)
  if not is_sent then
    waiting[key] = nil
    done("the host ended before it was asked")
  end
end

-- Asks, and shows what goes wrong.
local function ask(method, params, done)
  M.call(method, params, function(problem, result)
    if problem then return fail(problem) end
    done(result)
  end)
end

-- The buffers -------------------------------------------------------------------------------------------------

local function draw(buffer, lines)
  if not is_shown(buffer) then return end
  vim.bo[buffer].modifiable = true
  vim.api.nvim_buf_set_lines(buffer, 0, -1, false, vim.split(table.concat(lines, "\n"), "\n"))
  vim.bo[buffer].modifiable = false
end

local function mood_line(mood)
  local tags = #mood.tags > 0 and "  #" .. table.concat(mood.tags, " #") or ""
  local time = mood.timestamp:sub(1, 16):gsub("T", " ") .. " UTC"
  local line = (mood.isFavorite and "★ " or "  ") .. mood.emoji .. " " .. mood.label .. "  " .. time .. tags
  return (line:gsub("%c", " "))
end

local function draw_list(page)
  if type(page) ~= "table" or type(page.items) ~= "table" then return fail("the host has answered with no list") end
  local lines, new = {}, {}
  for number, mood in ipairs(page.items) do
    -- One that is otherwise than a mood hides no other.
    local is_right, line = pcall(mood_line, mood)
    lines[number] = is_right and line or "  (a mood that cannot be shown)"
    new[number] = type(mood) == "table" and type(mood.id) == "string" and mood.id or false
  end
  if type(page.empty) == "table" then lines = { tostring(page.empty.title), tostring(page.empty.hint) } end
  -- The cursor stays at its mood.
  local windows = {}
  for _, window in ipairs(vim.fn.win_findbuf(list)) do
    windows[window] = ids[vim.api.nvim_win_get_cursor(window)[1]]
  end
  draw(list, lines)
  ids = new
  for number, id in ipairs(ids) do
    for window, at in pairs(windows) do
      if at == id then vim.api.nvim_win_set_cursor(window, { number, 0 }) end
    end
  end
end

-- A cell as text; of a kind that is not known, what it says to those who cannot see it.
local function usual_cell(cell)
  if cell.type == "hero" then return cell.emoji end
  if cell.type == "info" then return cell.title .. ": " .. cell.value end
  if vim.tbl_contains({ "text", "notes", "relativeTime", "hint" }, cell.type) then return cell.text end
  return cell.accessibility and cell.accessibility.label or cell.type
end

local function cell_text(cell)
  local is_right, text = pcall(usual_cell, cell)
  return is_right and type(text) == "string" and text:gsub("%z", " ") or "(a cell that cannot be shown)"
end

local function draw_detail(screen)
  if type(screen.cells) == "table" then draw(detail, vim.tbl_map(cell_text, screen.cells)) end
end

-- Asks for what the buffers show.
function M.look()
  if not (is_shown(list) or is_shown(detail)) then return end
  local is_there, problem = connect()
  if not is_there then
    draw(list, { "moodboard: " .. problem })
    ids, pause = {}, math.min(60000, 2 * pause)
    return later(pause)
  end
  pause = 1000
  local function quietly(_, _) end
  if not subscribed then
    subscribed = true
    M.call("events.subscribe", { topics = { "mood" } }, quietly)
  end
  if is_shown(list) then
    M.call("mood.list", { limit = M.limit }, function(failure, page)
      if page then draw_list(page) else draw(list, { "moodboard: " .. failure }) end
    end)
  end
  if is_shown(detail) then
    M.call("mood.detail", { id = shown }, function(failure, screen)
      if screen then draw_detail(screen) else draw(detail, { failure }) end
    end)
  end
end

local function scratch(name)
  local buffer = vim.api.nvim_create_buf(true, true)
  vim.api.nvim_buf_set_name(buffer, name)
  for key, command in pairs({ f = "MoodFavorite", s = "MoodShare", ["<CR>"] = "MoodOpen", a = "MoodAdd", r = "Moods" }) do
    vim.api.nvim_buf_set_keymap(buffer, "n", key, "<Cmd>" .. command .. "<CR>", { silent = true })
  end
  return buffer
end

-- Commands ----------------------------------------------------------------------------------------------------

local function at_cursor(act)
  local buffer = vim.api.nvim_get_current_buf()
  local id = buffer == detail and shown or buffer == list and ids[vim.api.nvim_win_get_cursor(0)[1]]
  if id then act(id) else fail("there is no mood here") end
end

function M.list()
  if not is_shown(list) then list, ids = scratch("moodboard://moods"), {} end
  vim.api.nvim_set_current_buf(list)
  M.look()
end

function M.add(emoji, label)
  ask("mood.create", { emoji = emoji, label = label }, function(mood)
    vim.notify("moodboard: " .. mood.emoji .. " " .. mood.label .. " is recorded")
  end)
end

function M.favorite()
  at_cursor(function(id)
    ask("mood.toggleFavorite", { id = id }, function(mood)
      vim.notify("moodboard: " .. mood.label .. " is " .. (mood.isFavorite and "a" or "no") .. " favorite")
    end)
  end)
end

-- Into the unnamed register.
function M.share()
  at_cursor(function(id)
    ask("mood.share", { id = id }, function(shared)
      vim.fn.setreg('"', shared.text)
      vim.notify(shared.text)
    end)
  end)
end

function M.open()
  at_cursor(function(id)
    ask("mood.detail", { id = id }, function(screen)
      shown = id
      if not is_shown(detail) then detail = scratch("moodboard://mood") end
      draw_detail(screen)
      vim.api.nvim_set_current_buf(detail)
    end)
  end)
end

function M.setup(options)
  for name, value in pairs(options or {}) do M[name] = value end
  local command = vim.api.nvim_create_user_command
  command("Moods", M.list, {})
  command("MoodFavorite", M.favorite, {})
  command("MoodShare", M.share, {})
  command("MoodOpen", M.open, {})
  command("MoodAdd", function(given)
    local words = given.fargs
    if #words < 2 then words = vim.split(vim.fn.input("Emoji and label: "), " ") end
    if #words > 1 then M.add(words[1], table.concat(words, " ", 2)) end
  end, { nargs = "*" })
end

return M
