// The client: everything is in the library, so that tests reach it; how it ends is decided in `ExitCode`.
import MoodClient

MoodProgram.main()
