"""What no code path may break, held by Postgres itself: by no form, shell or statement passed by.

What is refused is refused to superusers of the application, too. Whoever may switch triggers off (the owner of the
tables, by name) is found out afterwards by `verify`. The rules themselves are SQL, a file for each topic in `rules/`.
"""

import re
from pathlib import Path

from django.db import migrations

RULES = Path(__file__).with_name("rules")

# The active snapshot is one of the library's own.
ACTIVE_IS_OWN = """
    ALTER TABLE knowledge_snapshot ADD CONSTRAINT snapshot_of_library UNIQUE (id, library_id);
    ALTER TABLE knowledge_library ADD CONSTRAINT active_snapshot_is_own
        FOREIGN KEY (active_snapshot_id, id) REFERENCES knowledge_snapshot (id, library_id) DEFERRABLE INITIALLY DEFERRED;
"""
ACTIVE_IS_ANY = """
    ALTER TABLE knowledge_library DROP CONSTRAINT active_snapshot_is_own;
    ALTER TABLE knowledge_snapshot DROP CONSTRAINT snapshot_of_library;
"""

# Packed arrays and vectors do not compress; PLAIN and EXTERNAL spare the attempt and every later detour.
STORAGE = """
    ALTER TABLE knowledge_embedding ALTER COLUMN vector SET STORAGE PLAIN;
    ALTER TABLE knowledge_embedding ALTER COLUMN parts SET STORAGE EXTERNAL;
    ALTER TABLE knowledge_posting ALTER COLUMN ordinals SET STORAGE EXTERNAL;
    ALTER TABLE knowledge_posting ALTER COLUMN body_counts SET STORAGE EXTERNAL;
    ALTER TABLE knowledge_posting ALTER COLUMN head_counts SET STORAGE EXTERNAL;
"""


def rules(topic: str) -> migrations.RunSQL:
    """The triggers of a topic go with its functions."""
    sql = (RULES / f"{topic}.sql").read_text()
    functions = re.findall(r"^CREATE FUNCTION (\w+)", sql, re.MULTILINE)
    return migrations.RunSQL(sql, f"DROP FUNCTION {', '.join(functions)} CASCADE")


class Migration(migrations.Migration):
    dependencies = [("knowledge", "0007_evaluation")]
    replaces = [("knowledge", "0015_governance_guards")]

    operations = [
        rules("written_once"),
        rules("audit"),
        rules("history"),
        rules("snapshots"),
        rules("review"),
        rules("activation"),
        migrations.RunSQL(ACTIVE_IS_OWN, ACTIVE_IS_ANY),
        migrations.RunSQL(STORAGE, migrations.RunSQL.noop),
    ]
