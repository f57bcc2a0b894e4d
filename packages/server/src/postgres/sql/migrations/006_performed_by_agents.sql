-- What agents perform themselves: a call that waits for its agent to take it, and an intent that no process of ours acts on.

alter table paraph.call drop constraint call_state_check;
alter table paraph.call
  add constraint call_state_check check (state in ('previewing', 'checking', 'asking', 'ready', 'queued', 'parked', 'offered', 'performing', 'delayed', 'closed'));

-- Null where the agent acts: no process's life says whether it still does.
alter table paraph.intent alter column life drop not null;
