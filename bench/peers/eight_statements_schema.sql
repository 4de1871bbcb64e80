-- What a careful hand would write for the same order without thinking of speed: one table a concern, two balances
-- updated for each order, the books' lines and the event in statements of their own.
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

-- Partners are 1 to 1,000; 1,001 to 2,000 are the house's side, spread so that no row of it is a queue.
insert into peer.account (id, cash, gold)
select id, 1000000000000000, 1000000000000000 from generate_series(1, 2000) id;

create table peer.one_row (
  id bigint generated always as identity primary key,
  payload bytea not null
);
