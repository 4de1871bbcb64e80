-- The privileges of the simulations, in addition to grants.sql.
grant update (simulations) on gold.account to gold_book;
grant execute on function gold.book_simulation, gold.read_simulations, gold.take_failure, gold.read_simulated_price to gold_api;
