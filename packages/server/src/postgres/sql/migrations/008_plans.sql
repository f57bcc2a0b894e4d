-- Plans and composites: a call that is made of calls, and the place of each of those.

alter table paraph.call drop constraint call_state_check;
alter table paraph.call
  add constraint call_state_check check (state in ('previewing', 'checking', 'asking', 'ready', 'queued', 'parked', 'offered', 'performing', 'composing', 'delayed', 'closed')),
  add column parent text,
  add column step text,
  add column depth int,
  add constraint call_place_check check ((parent is null) = (step is null) and (parent is null) = (depth is null)),
  add constraint call_parent_fkey foreign key (tenant, parent) references paraph.call (tenant, id);

create index call_children on paraph.call (tenant, parent, created_at, id) where parent is not null;
