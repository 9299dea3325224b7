import MoodHost
import Platform

exit(Program.run(ProcessFacts.arguments))
