# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""A whole Slurm on this machine: munged, slurmctld and slurmd on loopback, with their files in a folder of their own.

They need the packages slurm-wlm and munge, and root; no service of the machine is used or touched.
"""

import os
import re
import shutil
import socket
import subprocess
import tempfile
import time

CONFIGURATION = """\
ClusterName=surefoot
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
# What is begun again waits as long as its last credentials hold, two minutes where nothing is said.
AuthInfo=socket={folder}/munge.socket,cred_expire=5
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SwitchType=switch/none
MpiDefault=none
ReturnToService=2
KillWait=2
SchedulerType=sched/builtin
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0
# Whatever this machine has: three tasks at a time.
SlurmdParameters=config_overrides
NodeName={host} NodeAddr=127.0.0.1 CPUs=3 Boards=1 SocketsPerBoard=1 CoresPerSocket=3 ThreadsPerCore=1 RealMemory=1000 State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol", "scancel")


def what_is_missing():
    """Why there can be no cluster here; None where there can."""
    path = os.environ.get("PATH", "") + ":/usr/sbin"
    missing = [name for name in PROGRAMS if not shutil.which(name, path=path)]
    if missing:
        return f"no {', '.join(missing)} (Debian: slurm-wlm munge)"
    return "needs root" if os.geteuid() != 0 else None


def free_ports(count):
    holders = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [holder.getsockname()[1] for holder in holders]
    for holder in holders:
        holder.close()
    return ports


class Cluster:
    def __init__(self):
        self.daemons = []
        self.folder = tempfile.mkdtemp(prefix="surefoot-slurm-")
        # Whoever asks munge comes through here.
        os.chmod(self.folder, 0o755)
        for name in ("state", "spool"):
            os.mkdir(os.path.join(self.folder, name))
        self.environment = {**os.environ, "PATH": os.environ["PATH"] + ":/usr/sbin", "SLURM_CONF": self.file("slurm.conf")}
        host = socket.gethostname().split(".")[0]
        with open(self.file("slurm.conf"), "w", encoding="ascii") as file:
            file.write(CONFIGURATION.format(folder=self.folder, host=host, ports=free_ports(2)))
        with open(self.file("munge.key"), "wb") as file:
            os.fchmod(file.fileno(), 0o400)
            file.write(os.urandom(1024))
        try:
            self.start("munged", "--foreground", "--force",
                       *(f"--{what}-file={self.file('munge.' + what)}" for what in ("key", "pid", "log", "seed")),
                       f"--socket={self.file('munge.socket')}")
            self.wait_for(lambda: os.path.exists(self.file("munge.socket")), "munged")
            self.start("slurmctld", "-D")
            self.start("slurmd", "-D")
            self.wait_for(lambda: "idle" in self.say("sinfo", "-h", "-o", "%T", check=False), "the node")
        except BaseException:
            self.stop()
            raise

    def file(self, name):
        return os.path.join(self.folder, name)

    def start(self, *command):
        with open(self.file(command[0] + ".out"), "wb") as said:
            self.daemons.append(subprocess.Popen(command, env=self.environment, stdin=subprocess.DEVNULL, stdout=said,
                                                 stderr=said))

    def say(self, *command, check=True):
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0 or not check, (command, done.stdout, done.stderr)
        return done.stdout

    def wait_for(self, there, what, seconds=60):
        end = time.monotonic() + seconds
        while not there():
            assert time.monotonic() < end, f"{what} is not there after {seconds} s\n{self.logs()}"
            time.sleep(0.05)

    def logs(self):
        texts = []
        for name in sorted(os.listdir(self.folder)):
            if name.endswith((".log", ".out")):
                with open(self.file(name), encoding="utf-8", errors="replace") as file:
                    texts.append(f"== {name}\n{file.read()[-3000:]}")
        return "\n".join(texts)

    def jobs(self, number):
        """What Slurm says of a job: of an array, by its tasks; of another, under None."""
        found = {}
        for line in self.say("scontrol", "--oneliner", "show", "job", number).splitlines():
            fields = dict(re.findall(r"(\S+?)=(\S*)", line))
            found[int(fields["ArrayTaskId"]) if fields.get("ArrayTaskId", "").isdigit() else None] = fields
        return found

    def wait_until_over(self, *numbers):
        def over():
            # A job that ended long ago is no longer known, which is an error.
            return not self.say("squeue", "-h", "-j", ",".join(numbers), check=False).strip()

        self.wait_for(over, "the end of jobs " + ", ".join(numbers), 120)

    def stop(self):
        """Ends every job and every daemon, by the processes that were started here."""
        if len(self.daemons) == 3:
            numbers = self.say("squeue", "-h", "-o", "%A", check=False).split()
            if numbers:
                self.say("scancel", *numbers, check=False)
                self.wait_until_over(*numbers)
        for daemon in reversed(self.daemons):
            daemon.terminate()
            try:
                daemon.wait(timeout=20)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        self.daemons = []
        shutil.rmtree(self.folder)
