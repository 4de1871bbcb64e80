-- Tables for the same order as a careful developer would write them without optimizing for speed. There is
-- one table per concern, each order updates two balances, and the ledger lines and the event have their own
-- statements.
create schema peer;

create table peer.account (
  id int primary key,
  cash bigint not null,
  gold bigint not null,
  version bigint not null default 0
) with (fillfactor = 70);

create table peer.nonce (
  partner int not null,
  nonce text not null,
  spent_at timestamptz not null default now(),
  primary key (partner, nonce)
);

create table peer.trade (
  id bigint generated always as identity primary key,
  partner int not null,
  client_order_id text not null,
  side smallint not null,
  grams bigint not null,
  price bigint not null,
  body_hash bytea,
  made_at timestamptz not null default now(),
  unique (partner, client_order_id)
);

create table peer.entry (
  id bigint generated always as identity primary key,
  trade bigint not null,
  account int not null,
  asset smallint not null,
  amount bigint not null,
  made_at timestamptz not null default now()
);

create table peer.outbox (
  id bigint generated always as identity primary key,
  partner int not null,
  kind text not null,
  payload jsonb not null,
  made_at timestamptz not null default now()
);

-- Accounts 1 to 1,000 are partners. Accounts 1,001 to 2,000 are the house's side, spread so that orders do
-- not queue for one row.
insert into peer.account (id, cash, gold)
select id, 1000000000000000, 1000000000000000 from generate_series(1, 2000) id;

create table peer.one_row (
  id bigint generated always as identity primary key,
  payload bytea not null
);
