-- Free text from outside may contain no control characters and no marks that change the direction of text,
-- because operators read it on terminals. The trigger checks only new rows and changes of the text columns. A
-- CHECK would refuse every change of a row from an earlier version that contains such text, so its partner
-- could not be suspended. Invisible format characters are accepted, because some scripts need them;
-- operations/printable.ts escapes them, too. U+0000 is missing because Postgres text cannot contain it.

create or replace function gold.refuse_unprintable() returns trigger
language plpgsql set search_path = gold, pg_temp as $$
declare
  field text;
begin
  foreach field in array tg_argv loop
    if to_jsonb(new) ->> field ~ '[\u0001-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]' then
      raise exception '%.% must not contain control characters, line breaks or characters that change the text direction',
        tg_table_name, field using errcode = 'GR409';
    end if;
  end loop;
  return new;
end $$;
