// Takes the price data out of an unpacked npm package @pydantic/genai-prices and writes genai-prices.json beside itself:
// without what pricing does not read (descriptions, comments, extractors of replies), one model a line, ASCII only.
//
//   npm pack @pydantic/genai-prices && tar xzf pydantic-genai-prices-*.tgz
//   node data/prices/take.mjs package 2026-09-23        # the date on which that version was published
import fs from 'node:fs';
import path from 'node:path';

const [folder, date] = process.argv.slice(2);
if (!folder || !/^\d{4}-\d\d-\d\d$/.test(date ?? '')) {
  console.error('usage: take.mjs PACKAGE_FOLDER YYYY-MM-DD');
  process.exit(2);
}
const {version} = JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'));
const source = fs.readFileSync(path.join(folder, 'dist/index.js'), 'utf8');
const begin = source.indexOf('[');
const end = source.indexOf('\n], ');
const providers = Function(`return ${source.slice(begin, end + 2)}`)();

const kept = ['input_mtok', 'output_mtok', 'cache_read_mtok', 'cache_write_mtok', 'cache_write_5m_mtok',
              'cache_write_1h_mtok', 'output_reasoning_mtok', 'requests_kcount'];
const pick = (object, names) => Object.fromEntries(names.filter((n) => n in object).map((n) => [n, object[n]]));
const prices = (p) => Array.isArray(p)
    ? p.map((c) => ({...pick(c, ['constraint']), prices: pick(c.prices, kept)}))
    : pick(p, kept);
const ascii = (value) => JSON.stringify(value).replace(/[^\x20-\x7e]/g,
    (c) => '\\u' + c.charCodeAt(0).toString(16).padStart(4, '0'));

const out = providers.map((p) => {
  const head = ascii(pick(p, ['id', 'name', 'model_match', 'provider_match', 'fallback_model_providers']));
  const models = p.models.map((m) => '  ' + ascii({id: m.id, match: m.match, prices: prices(m.prices)}));
  return `${head.slice(0, -1)},"models":[\n${models.join(',\n')}\n ]}`;
});
const head = ascii({origin: 'npm @pydantic/genai-prices', version, date, licence: 'MIT'});
const file = path.join(import.meta.dirname, 'genai-prices.json');
fs.writeFileSync(file, `${head.slice(0, -1)},"providers":[\n ${out.join(',\n ')}\n]}\n`);
console.log(`${file}: ${providers.length} providers, ${providers.reduce((n, p) => n + p.models.length, 0)} models`);
