"""What the server and `rowhouse check` say of a folder that they cannot or must not work on.

    test_refusals.py ROWHOUSE PLANT [unittest's arguments]
"""

import os
import pwd
import shutil
import subprocess
import sys
import tempfile
import unittest

import schema
from client import Connection
from server import Programs, Server, check

SECONDS = 30
TENANT = "acme"
ROWHOUSE, PLANT = map(os.path.abspath, sys.argv[1:3])
PROGRAMS = Programs(ROWHOUSE, None, None)


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="rowhouse-refusals-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.data = os.path.join(self.folder, "data")

    def start(self):
        return Server(PROGRAMS, self.data, subprocess.DEVNULL)

    def make_store(self):
        server = self.start()
        with Connection(server.wait_until_ready(), TENANT) as connection:
            schema.create_orders(connection)
            item = {"pk": {"S": "a"}, "sk": {"N": "1"}, "customer": {"S": "c"}}
            connection.call("PutItem", TableName=schema.ORDERS, Item=item)
        server.terminate()

    def plant(self, *fault):
        subprocess.run([PLANT, self.data, *fault], check=True, timeout=SECONDS)

    def refusal(self, program=ROWHOUSE, **options):
        """The one line that the server ends with."""
        done = subprocess.run(
            [program, "serve", "--listen", "127.0.0.1:0", "--data", self.data],
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
            **options,
        )
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        return done.stderr


class Refusals(Folder):
    def test_folder_in_use(self):
        server = self.start()
        server.wait_until_ready()
        self.assertIn(f"{self.data} is in use by another process", self.refusal())
        code, said = check(PROGRAMS, self.data)
        self.assertEqual(code, 1)
        self.assertIn(self.data, said)
        server.terminate()

    def test_the_same_folder_serves_again_after_its_server(self):
        self.make_store()
        server = self.start()
        with Connection(server.wait_until_ready(), TENANT) as connection:
            self.assertEqual(len(connection.pages("Scan", TableName=schema.ORDERS)), 1)
        server.terminate()

    def test_newer_format(self):
        self.make_store()
        self.plant("newer-format")
        self.assertIn("was written by a newer version of Rowhouse", self.refusal())
        code, said = check(PROGRAMS, self.data)
        self.assertEqual(code, 1)
        self.assertIn("newer", said)

    def test_folder_of_something_else(self):
        os.mkdir(self.data)
        with open(os.path.join(self.data, "letter.txt"), "w", encoding="utf-8") as letter:
            letter.write("Dear Sir")
        self.assertIn(f"{self.data} is not empty and holds no store", self.refusal())
        self.assertEqual(os.listdir(self.data), ["letter.txt"])

    def test_empty_folder_becomes_a_store(self):
        os.mkdir(self.data)
        self.make_store()
        self.assertEqual(check(PROGRAMS, self.data)[0], 0)

    def test_file_instead_of_a_folder(self):
        with open(self.data, "wb"):
            pass
        self.assertIn(f"cannot read the data folder {self.data}: Not a directory", self.refusal())

    def test_folder_without_the_right_to_read_it(self):
        os.mkdir(self.data, 0o700)
        if os.geteuid() != 0:
            os.chmod(self.data, 0)
            self.assertIn("Permission denied", self.refusal())
            return
        os.chmod(self.folder, 0o755)
        program = shutil.copy(ROWHOUSE, self.folder)
        nobody = pwd.getpwnam("nobody").pw_uid
        self.assertIn("Permission denied", self.refusal(program, user=nobody, cwd=self.folder))

    def test_store_whose_files_may_not_be_written(self):
        if os.geteuid() != 0:
            self.skipTest("only root can make files that are not its reader's")
        self.make_store()
        os.chmod(self.folder, 0o755)
        os.chmod(self.data, 0o755)
        program = shutil.copy(ROWHOUSE, self.folder)
        nobody = pwd.getpwnam("nobody").pw_uid
        said = self.refusal(program, user=nobody, cwd=self.folder)
        self.assertIn(f"cannot open the store in {self.data}", said)
        self.assertIn("Permission denied", said)


class Check(Folder):
    def assert_fault(self, sentence):
        code, said = check(PROGRAMS, self.data)
        self.assertEqual(code, 1, said)
        self.assertIn(f"tenant {TENANT}", said)
        self.assertIn(sentence, said)
        self.assertNotIn(" 0 faults", said)

    def test_sound_store(self):
        self.make_store()
        code, said = check(PROGRAMS, self.data)
        self.assertEqual(code, 0, said)
        self.assertIn("1 items, 1 index rows, 0 rows of dropped tables, 0 faults", said)

    def test_lost_index_row(self):
        self.make_store()
        self.plant("lost-index-row", TENANT)
        self.assert_fault("an item has no row in an index")

    def test_lost_item(self):
        self.make_store()
        self.plant("lost-item", TENANT)
        self.assert_fault("1 rows for 0 items")

    def test_folder_that_is_no_store(self):
        os.mkdir(self.data)
        code, said = check(PROGRAMS, self.data)
        self.assertEqual(code, 1)
        self.assertIn(self.data, said)
        self.assertEqual(os.listdir(self.data), [])

    def test_no_folder(self):
        code, said = check(PROGRAMS, self.data)
        self.assertEqual(code, 1)
        self.assertIn(f"there is no folder {self.data}", said)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)
