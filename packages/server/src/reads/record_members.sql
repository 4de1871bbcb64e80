-- Written by npm run docs from the members of the records (packages/protocol/src/schema). Do not edit.
--
-- The functions are stable, because to_json is stable. If they were immutable, Postgres would not inline
-- them into the statements that book orders.

create or replace function gold.quote_members(given gold.quote, status text) returns text
language sql stable
return '"quote_id":"qt_' || (given).id
  || '","side":"' || (given).side
  || '","gold_grams":' || gold.decimal_text((given).grams, 0.0001)
  || ',"price_per_gram_sar":' || gold.decimal_text((given).price, 0.0001)
  || ',"total_sar":' || gold.decimal_text((given).total, 0.01)
  || ',"status":"' || status
  || '","created_at":"' || gold.instant_text((given).created_at)
  || '","expires_at":"' || gold.instant_text((given).expires_at)
  || '"' || coalesce(',"reference":' || to_json((given).reference)::text, '')
  || coalesce(',"account_label":' || to_json((given).account_label)::text, '');

create or replace function gold.order_members(given gold.orders) returns text
language sql stable
return '"order_id":"ord_' || (given).id
  || '","quote_id":"qt_' || (given).id
  || '","side":"' || (given).side
  || '","gold_grams":' || gold.decimal_text((given).grams, 0.0001)
  || ',"price_per_gram_sar":' || gold.decimal_text((given).price, 0.0001)
  || ',"total_sar":' || gold.decimal_text((given).total, 0.01)
  || ',"status":"executed","executed_at":"' || gold.instant_text((given).executed_at)
  || '"' || coalesce(',"reference":' || to_json((given).reference)::text, '')
  || coalesce(',"account_label":' || to_json((given).account_label)::text, '')
  || coalesce(',"reserves_list_id":"lst_' || (given).list_id || '"', '');

create or replace function gold.funding_members(given gold.funding) returns text
language sql stable
return '"funding_id":"fnd_' || (given).id
  || '","amount_sar":' || gold.decimal_text((given).amount, 0.01)
  || ',"created_at":"' || gold.instant_text((given).created_at) || '"';

create or replace function gold.withdrawal_members(given gold.withdrawal, status text) returns text
language sql stable
return '"withdrawal_id":"wd_' || (given).id
  || '","amount_sar":' || gold.decimal_text((given).amount, 0.01)
  || ',"reference":' || coalesce(to_json((given).reference)::text, 'null')
  || ',"iban_masked":"' || gold.mask_iban((given).iban)
  || '","status":"' || status
  || '","created_at":"' || gold.instant_text((given).created_at)
  || '"' || coalesce(',"account_label":' || to_json((given).account_label)::text, '');

do $$
declare
  item record;
begin
  for item in values
    ('quote', 'reference'),
    ('quote', 'account_label'),
    ('orders', 'reference'),
    ('orders', 'account_label'),
    ('withdrawal', 'account_label')
  loop
    continue when exists (
      select from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = any (c.conkey)
      where c.conrelid = ('gold.' || item.column1)::regclass and c.contype = 'c' and a.attname = item.column2);
    execute format('alter table gold.%1$I add constraint %2$I check (char_length(%3$I) between 1 and 64
      and %3$I !~ %4$L) not valid', item.column1, item.column1 || '_' || item.column2, item.column2,
      '^ | $|[\u0001-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]');
  end loop;
end $$;
