// Numbers and times in few characters.

import type { Spend } from "./data";

export function count(n: number): string {
  if (n < 1000) return String(n);
  if (n < 10_000) return `${(n / 1000).toFixed(1)}k`;
  if (n < 1_000_000) return `${Math.round(n / 1000)}k`;
  if (n < 10_000_000) return `${(n / 1e6).toFixed(1)}M`;
  return `${Math.round(n / 1e6)}M`;
}

export function exact(n: number): string {
  return n.toLocaleString("en-GB");
}

export function money(nano: number): string {
  const usd = nano / 1e9;
  if (usd === 0) return "$0";
  if (usd < 0.01) return `$${usd.toFixed(4)}`;
  if (usd < 10) return `$${usd.toFixed(3)}`;
  return `$${usd.toFixed(2)}`;
}

export function tokens(spend: Spend): string {
  return spend.tokens > 0 ? `${spend.estimated ? "~" : ""}${count(spend.tokens)} tokens` : "";
}

/** "12k tokens · $0.021", what is known of it. */
export function price(spend: Spend): string {
  const parts = [tokens(spend)];
  if (spend.nano_usd !== undefined && spend.nano_usd > 0) parts.push(money(spend.nano_usd));
  return parts.filter(Boolean).join(" · ");
}

export function duration(us: number): string {
  if (us < 1000) return `${us} µs`;
  if (us < 1_000_000) return `${Math.round(us / 1000)} ms`;
  if (us < 60_000_000) return `${(us / 1e6).toFixed(1)} s`;
  const minutes = Math.floor(us / 60_000_000);
  if (minutes < 60) return `${minutes} min ${Math.round((us % 60_000_000) / 1e6)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function bytes(n: number): string {
  if (n < 1024) return `${n} B`;
  if (n < 1024 * 1024) return `${(n / 1024).toFixed(1)} kB`;
  return `${(n / 1024 / 1024).toFixed(1)} MB`;
}

export function clock(us: number): string {
  // A time before 1980 is counted from the run's own start.
  if (us < 315_532_800_000_000) return duration(us);
  return new Date(us / 1000).toISOString().replace("T", " ").slice(0, 19) + " UTC";
}

export function plural(n: number, one: string, many = `${one}s`): string {
  return `${exact(n)} ${n === 1 ? one : many}`;
}

export function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}
