"""Knowledge is published, not dumped: who decided what, and what follows from it.

activation  which snapshot searches see
withdrawal  what they do not see from the next request on
differences what a snapshot changes beside another, down to its sections
review      a candidate beside what is active; approved or rejected file by file; published as far as approved
gates       golden questions that a candidate must still answer
gold        who changed those questions
settings    what a library is set to, and back
reminders   files that somebody should look at again, and letters about them
audit       an event for every governing act, chained by hashes; signals writes those of accounts and settings
audit_words what it holds in words; audit_exports as files to keep
past_access who could see a document at a moment
query_log   what was asked, as far as each library's policy keeps it
dashboard   the whole at a glance

The rows are in knowledge.models, who may do what in knowledge.access, the pages in knowledge.pages.
"""
