"""The harness of the scripts: how a host is started, asked and ended, how processes are counted, how a script runs its cases.

A script is its cases and one function:

    from harness import Host, Wrong, script

    @script("host", changes=1000, seed=1)
    def main(options):
        with Host(options.host) as host:
            host.ask("host.ping")
"""

from .cases import check, in_folder, pipes, run_cases, run_drawn
from .host import ANSWER_SECONDS, Host, Refused, Wrong, environment
from .process import (belonging, cpu_ms, descendants, descriptors, end_all, gone, is_running, memory_kib, percentile, processes, processor_wait, status,
                      wait_until, zombies)
from .script import One, Several, Skipped, needs, script
