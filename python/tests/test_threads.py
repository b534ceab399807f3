# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""Threads: the interpreter's lock is released while the library solves, and bits do not depend on threads."""
import threading
import time
import unittest
from concurrent.futures import ThreadPoolExecutor

import surefoot as sf
from support import CHILD, FOLDER, SLID, run


class Threads(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # The relaxation takes a second or so: long enough to be looked at.
        cls.path = FOLDER / "long.bvh"
        assert run("surefoot-make-sample", cls.path, "--frames", 500, "--root-scale", 1.25).returncode == 0

    def test_two_clean_at_the_same_time_and_others_go_on(self):
        clip = sf.read(self.path)
        labels = sf.contacts(clip)
        start = time.perf_counter()
        alone = sf.to_bytes(sf.clean(clip, labels, method="relax"))
        once = time.perf_counter() - start
        spans, outputs = [], []
        ready = threading.Barrier(3)

        def work():
            ready.wait()
            began = time.perf_counter()
            outputs.append(sf.to_bytes(sf.clean(clip, labels, method="relax")))
            spans.append((began, time.perf_counter()))

        workers = [threading.Thread(target=work) for _ in range(2)]
        for worker in workers:
            worker.start()
        ready.wait()
        longest, last = 0.0, time.perf_counter()
        while any(worker.is_alive() for worker in workers):
            time.sleep(0.001)
            now = time.perf_counter()
            longest, last = max(longest, now - last), now
        # Both were inside at once, and this thread was never kept waiting for as long as a solve takes: with the lock
        # held it would stand still for one whole solve at least.
        self.assertLess(max(began for began, _ in spans), min(ended for _, ended in spans))
        self.assertLess(longest, 0.5 * once, f"a solve takes {once:.2f} s")
        self.assertEqual(outputs, [alone, alone])

    def test_the_same_bits_on_many_threads(self):
        def job(index):
            clip = sf.read(SLID)
            return [sf.to_bytes(sf.clean(clip)), sf.to_bytes(sf.retarget(clip, CHILD)), sf.contacts(clip).to_csv()][index % 3]

        alone = [job(i) for i in range(3)]
        with ThreadPoolExecutor(6) as pool:
            for index, output in enumerate(pool.map(job, range(36))):
                self.assertEqual(output, alone[index % 3])

    def test_labels_edited_while_they_are_solved_by(self):
        """A solver that saw them change would write beyond what it counted."""
        clip = sf.read(SLID)
        labels = sf.contacts(clip)
        both = [labels.plant[0].copy(), 1 - labels.plant[0]]
        ended = threading.Event()

        def edit():
            while not ended.is_set():
                for row in both:
                    labels.plant[0] = row

        thread = threading.Thread(target=edit)
        thread.start()
        try:
            for _ in range(60):
                sf.clean(clip, labels)
        finally:
            ended.set()
            thread.join()
        made = sf.clean(clip, labels)
        labels.plant[:] = 0
        self.assertGreater(made.labels.planted().sum(), 0)  # those it was solved by

    def test_threads_share_documents_and_clips(self):
        document, figure = sf.load(SLID), sf.load(CHILD)
        clip = document.clip()
        alone = sf.to_bytes(sf.retarget(clip, figure))
        with ThreadPoolExecutor(4) as pool:
            for output in pool.map(lambda _: sf.to_bytes(sf.retarget(document.clip(), figure)), range(8)):
                self.assertEqual(output, alone)
            for output in pool.map(lambda _: sf.to_bytes(sf.retarget(clip, figure)), range(8)):
                self.assertEqual(output, alone)


if __name__ == "__main__":
    unittest.main()
