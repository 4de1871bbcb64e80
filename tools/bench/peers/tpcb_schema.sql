-- The tables of pgbench's script tpcb-like, as pgbench -i makes them at scale 64: as many branches as connections,
-- because each transaction updates a branch.
create table pgbench_branches (bid int primary key, bbalance int, filler char(88)) with (fillfactor = 100);
create table pgbench_tellers (tid int primary key, bid int, tbalance int, filler char(84)) with (fillfactor = 100);
create table pgbench_accounts (aid int not null, bid int, abalance int, filler char(84)) with (fillfactor = 100);
create table pgbench_history (tid int, bid int, aid int, delta int, mtime timestamp, filler char(22));
insert into pgbench_branches select n, 0 from generate_series(1, 64) n;
insert into pgbench_tellers select n, (n - 1) / 10 + 1, 0 from generate_series(1, 640) n;
insert into pgbench_accounts select n, (n - 1) / 100000 + 1, 0, '' from generate_series(1, 6400000) n;
alter table pgbench_accounts add primary key (aid);
