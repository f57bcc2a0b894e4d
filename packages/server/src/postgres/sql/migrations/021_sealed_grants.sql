-- [TRUST 32] What a grant was when it was given, with a seal that is made outside the database. A grant without one does not
-- count, so grants from before this version have to be given again.
alter table paraph.standing_grant add column given jsonb;
