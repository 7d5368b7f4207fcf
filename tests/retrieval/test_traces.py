"""What of a pasted stack trace is looked for."""

import pytest

from retrieval.filtering.names import TRACE, taken_for_words
from retrieval.query import parse
from retrieval.search import search

PYTHON = """Traceback (most recent call last):
  File "/srv/shop/worker/consume.py", line 82, in main
    run(settings.QUEUE)
  File "/srv/venv/lib/python3.11/site-packages/pika/channel.py", line 1468, in queue_declare
    raise TypeError('callback must be a callable')
TypeError: callback must be a callable
"""
CHAINED = """Traceback (most recent call last):
  File "/srv/a.py", line 3, in load
    read()
  File "/srv/b.py", line 9, in read
    raise KeyError("id")
KeyError: 'id'

During handling of the above exception, another exception occurred:

Traceback (most recent call last):
  File "/srv/main.py", line 1, in <module>
    load()
  File "/srv/a.py", line 5, in load
    raise Unreadable(path)
shop.Unreadable: no id
"""
JAVA = """java.lang.IllegalStateException: Failed to load
\tat org.shop.Loader.load(Loader.java:12) ~[shop.jar:5.3]
\tat java.base/java.lang.Thread.run(Thread.java:829)
Caused by: java.io.IOException: no such file
\tat java.base/java.io.FileInputStream.open(Native Method)
\tat org.shop.Files.open(Files.java:3)
\t... 12 more
"""
NODE = """TypeError: Cannot read properties of undefined (reading 'id')
    at Object.get [as value] (/srv/app/models/user.js:31:15)
    at async Promise.all (index 0)
    at new Shop (file:///srv/app/shop.mjs:1:2)
    at /srv/app/server.js:12:3
    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)
"""
FIREFOX = """Error: no such room
render@http://localhost:3000/static/room.js:10:5
@http://localhost:3000/main.js:20:5
"""
GO = """panic: runtime error: index out of range [5]

goroutine 1 [running]:
github.com/foo/bar.(*Client).Do(0xc0001, {0x1, 0x2})
\t/home/ci/go/pkg/mod/github.com/foo/bar/client.go:42 +0x1d
main.main()
\t/home/ci/main.go:10 +0x25
exit status 2
"""
CSHARP = """System.InvalidOperationException: Sequence contains no elements
   at System.Linq.ThrowHelper.ThrowNoElements()
   at System.Linq.Enumerable.First[T](IEnumerable`1 source)
   at Shop.Orders.Load(String id, Int32 most) in C:\\src\\Shop\\Orders.cs:line 42
"""
PHP = """PHP Fatal error:  Uncaught RuntimeException: no room in /srv/a/rooms.php:12
Stack trace:
#0 /srv/shop/src/desk.php(33): App\\Desk->room('x', Array)
#1 /srv/index.php(3): require('...')
#2 {main}
"""
RUBY = """app/models/room.rb:12:in `open': no room (RoomError)
\tfrom app/models/desk.rb:3:in `each'
\tfrom bin/shop:3:in `<main>'
"""
ELIXIR = """** (MatchError) no match of right hand side value: nil
    (shop 0.1.0) lib/shop/room.ex:12: Shop.Room.load/1
    (phoenix 1.7.0) lib/phoenix/router.ex:430: Phoenix.Router.__call__/5
"""


@pytest.mark.parametrize(
    ("trace", "told"),
    [
        (
            PYTHON,
            "raise TypeError('callback must be a callable') TypeError: callback must be a callable "
            "queue_declare pika/channel.py",
        ),
        (
            CHAINED,
            "raise KeyError(\"id\") KeyError: 'id' read srv/b.py "
            "raise Unreadable(path) shop.Unreadable: no id load srv/a.py",
        ),
        (
            JAVA,
            "java.lang.IllegalStateException: Failed to load org.shop.Loader.load Loader.java "
            "Caused by: java.io.IOException: no such file java.base/java.io.FileInputStream.open",
        ),
        (NODE, "TypeError: Cannot read properties of undefined (reading 'id') Object.get models/user.js"),
        (FIREFOX, "Error: no such room render static/room.js"),
        (GO, "panic: runtime error: index out of range [5] github.com/foo/bar.(*Client).Do bar/client.go"),
        (
            CSHARP,
            "System.InvalidOperationException: Sequence contains no elements System.Linq.ThrowHelper.ThrowNoElements",
        ),
        (
            PHP,
            "PHP Fatal error: Uncaught RuntimeException: no room in /srv/a/rooms.php:12 App\\Desk->room src/desk.php",
        ),
        (RUBY, "app/models/room.rb:12:in `open': no room (RoomError) each models/desk.rb"),
        (ELIXIR, "** (MatchError) no match of right hand side value: nil Shop.Room.load/1 shop/room.ex"),
    ],
)
def test_the_message_of_a_stack_trace_is_looked_for_and_the_frame_beside_it(trace, told):
    asked = parse(trace)

    assert asked.text == told
    assert asked.written == " ".join(trace.split()) and not asked.operators


def test_the_place_that_raises_comes_before_those_that_only_pass_it_on(indexed):
    frames = "".join(f"def step_{n}(queue, channel):\n    return main(queue, run, settings)\n\n\n" for n in range(3))
    raising = "def queue_declare(callback):\n    raise TypeError('callback must be a callable')\n"
    indexed("code", {"worker/consume.py": frames, "pika/channel.py": raising})

    result = search(None, PYTHON)

    assert result.hits[0].source_file == "pika/channel.py" and TRACE in result.notes


def test_what_is_said_around_a_stack_trace_is_looked_for():
    assert parse(f"Why does the desk fail? {PYTHON} It worked yesterday.").text == (
        "Why does the desk fail? raise TypeError('callback must be a callable') TypeError: callback must be a callable "
        "It worked yesterday. queue_declare pika/channel.py"
    )


@pytest.mark.parametrize(
    "query",
    [
        'File "/srv/x.py", line 36, in roll',
        "where is Loader.load called? at org.shop.Loader.load(Loader.java:12)",
        "we meet at home (see below), at work (room 3) and at System.Linq",
        "write to desk@example.org:80 or at example.org:8080",
        "main.go:42: no such room main.go:43: no such desk",
    ],
)
def test_what_is_no_stack_trace_is_looked_for_as_it_is(query):
    assert parse(query).text == query and not taken_for_words(parse(query))
