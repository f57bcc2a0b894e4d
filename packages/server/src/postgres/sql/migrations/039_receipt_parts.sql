-- A receipt repeats the events of its call, which have rows of their own. New receipts are therefore stored without their
-- events, and their readers put the events back (decision 36). Older receipts keep their whole envelope.
alter table paraph.receipt alter column envelope drop not null;
alter table paraph.receipt add column story text, add column key_id text, add column signature text;
alter table paraph.receipt add constraint receipt_form check (num_nulls(story, key_id, signature) = case when envelope is null then 0 else 3 end) not valid;
