-- [TRUST 29] Which process runs a call, and how many died while they ran it since it last made progress. `stuck`: the code of
-- why its segments keep failing. Nothing of such a call is due until a person lets it go on.
alter table paraph.call
  add column runner int,
  add column deaths int not null default 0,
  add column stuck text,
  drop constraint call_check1,
  add constraint call_due_check check ((next_at is null) = (state = 'closed' or stuck is not null));
create index call_stuck on paraph.call (tenant, id) where stuck is not null;

-- Which limit's place a call waits for, and since when: whoever leaves one wakes the first in line.
alter table paraph.call add column place text, add column place_since timestamptz;
create index call_place on paraph.call (tenant, place, place_since, id) where place is not null;
