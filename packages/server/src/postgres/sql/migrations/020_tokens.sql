-- How many tokens of a language model a call used, as its capability tells. Nothing is known of what ended before.
alter table paraph.outcome add column tokens_in bigint not null default 0, add column tokens_out bigint not null default 0;
