-- What people and calls did, newest first (`GET /v1/activity`): the kinds are those that `activity.ts` reads. And the way
-- from a call to those that undo it.
create index event_activity on paraph.event (tenant, at, call, seq)
  where kind in ('asked', 'voted', 'handed-over', 'revealed', 'withdrawn', 'began', 'closed', 'resolved');
create index event_undoes on paraph.event (tenant, (data->>'undoes')) where kind = 'accepted' and data ? 'undoes';
