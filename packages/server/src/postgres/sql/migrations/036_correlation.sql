-- The trace id of the request, by which calls are listed. A condition on a part of `trace` could not use an index under
-- row-level security. Calls that were accepted before have none.
alter table paraph.call add column correlation text;
