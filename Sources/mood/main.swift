// The client. Everything is in the library, so that tests reach it; `ExitCode` decides the exit status.
import MoodClient

MoodProgram.main()
