#!/bin/sh
# PostgreSQL's image runs this once, when it creates the database. The owner of Paraph's tables is not a superuser.
set -eu
psql --no-psqlrc --set ON_ERROR_STOP=1 --set password="$PARAPH_OWNER_PASSWORD" --username "${POSTGRES_USER:-postgres}" <<'SQL'
create role paraph_owner login createrole password :'password';
create database paraph owner paraph_owner;
SQL
