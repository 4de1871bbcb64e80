-- Accounts for the script pgledger.sql. Numbers below 1,000 are partners, the others are the house's. The house's
-- ids are higher, so pgledger locks them last.
create schema peer;

create table peer.account (n int primary key, sar text not null, gold text not null);

insert into peer.account
select n, sar.id, gold.id
from generate_series(0, 1999) n, lateral pgledger_create_account('sar ' || n, 'SAR') sar,
  lateral pgledger_create_account('gold ' || n, 'XAU') gold;
