CREATE TABLE orders (id INTEGER PRIMARY KEY, customer TEXT, item TEXT, state TEXT);
CREATE TABLE shipments (id TEXT PRIMARY KEY, order_id INTEGER, carrier TEXT, state TEXT);
INSERT INTO orders VALUES
  (1041, 'K. Lind', 'desk lamp', 'delivered'),
  (1042, 'M. Okafor', 'standing desk', 'see shipment S-7731'),
  (1043, 'A. Ferrari', 'chair mat', 'cancelled');
INSERT INTO shipments VALUES
  ('S-7730', 1041, 'Nordpost', 'delivered on 3 March'),
  ('S-7731', 1042, 'Nordpost', 'state is kept with order 1042');
