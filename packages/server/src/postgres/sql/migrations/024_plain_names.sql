-- Renames tables, columns and kinds of events, so that the database uses the words of docs/vocabulary.md.
-- The owner must see every event here, also if it is no superuser.
alter table paraph.event no force row level security;
do $$
begin
  if exists (select from paraph.event where kind in ('handed-over', 'covered')) then
    raise exception 'This database has sealed records of Paraph 0.1, and their seals include names that this version changed. '
      'Keep Paraph 0.1 to read them, and start this version with a new database.';
  end if;
end $$;
update paraph.event set kind = 'commented' where kind = 'said';
alter table paraph.event force row level security;
drop index paraph.event_activity;
create index event_activity on paraph.event (tenant, at, call, seq)
  where kind in ('asked', 'voted', 'reassigned', 'revealed', 'withdrawn', 'began', 'closed', 'resolved');

alter table paraph.owed rename to undelivered;
alter index paraph.owed_pkey rename to undelivered_pkey;
alter index paraph.owed_call rename to undelivered_call;
alter index paraph.owed_at rename to undelivered_at;

alter table paraph.perception rename to poll;
alter table paraph.poll rename column looked_at to polled_at;
alter index paraph.perception_pkey rename to poll_pkey;
alter index paraph.perception_due rename to poll_due;
alter table paraph.observation rename column seen_at to observed_at;

alter table paraph.delegation rename column stand_in to delegate;
alter index paraph.delegation_of_stand_in rename to delegation_of_delegate;
alter index paraph.call_twin rename to call_duplicate;

drop function if exists paraph.hand_over, paraph.load_twin, paraph.stands_in_for, paraph.begin_perceiving, paraph.perception_at,
  paraph.perception_failed, paraph.progress_said;
