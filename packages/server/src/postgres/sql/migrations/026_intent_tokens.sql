-- Each write of an intent has its own token. A process whose answer from PostgreSQL got lost recognises its intent by it.
alter table paraph.intent add column token uuid;
