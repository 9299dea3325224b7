import MoodHost
import Platform

if Keeper.isAsked { Keeper.run() }
exit(Program.run(ProcessFacts.arguments))
