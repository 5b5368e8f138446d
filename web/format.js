// Numbers for people: as many digits as the interval allows, grouped thousands, units.

const grouped = (value, places) =>
  value.toLocaleString('en', { minimumFractionDigits: places, maximumFractionDigits: places, useGrouping: true });

// Rounds to two digits of half the interval, or to three of a value without one.
export const number = (value, half = 0) => {
  if (value === null || value === undefined || !Number.isFinite(value)) return 'unknown';
  if (value === 0) return '0';
  const unit = half > 0 ? half / 10 : Math.abs(value) / 100;
  const place = Math.floor(Math.log10(unit));
  if (place >= 0) return grouped(half > 0 ? Math.round(value / 10 ** place) * 10 ** place : Math.round(value), 0);
  return grouped(value, Math.min(-place, 6));
};

// { value, low, high } -> "410,700 (405,100 to 416,300)"; null -> "unknown".
export const interval = (amount) => {
  if (!amount) return 'unknown';
  if (amount.low === null || amount.low === undefined) return number(amount.value);
  const half = (amount.high - amount.low) / 2;
  return `${number(amount.value, half)} (${number(amount.low, half)} to ${number(amount.high, half)})`;
};

export const half = (amount) => (amount && amount.low !== null ? (amount.high - amount.low) / 2 : 0);

// Money: cents from a dollar on, four digits below.
export const dollars = (value) => {
  if (value === null || value === undefined) return 'unknown';
  const digits = Math.abs(value) >= 1 || value === 0
    ? { minimumFractionDigits: 2, maximumFractionDigits: 2 }
    : { minimumSignificantDigits: 2, maximumSignificantDigits: 4 };
  return `$${value.toLocaleString('en', digits)}`;
};

// 0.004 -> "14 s", 30.5 -> "30.5 h", 800 -> "33 days"
export const hours = (value) => {
  if (value === null || value === undefined) return 'unknown';
  if (value < 1 / 60) return `${number(value * 3600)} s`;
  if (value < 1) return `${number(value * 60)} min`;
  return value < 96 ? `${number(value)} h` : `${number(value / 24)} days`;
};

export const percent = (share) => (share === null || share === undefined ? 'unknown' : `${number(share * 100)} %`);

// A ratio as a change: 1.051 -> "+5.1 %"
export const percentChange = (ratio) => {
  if (ratio === null || ratio === undefined) return 'unknown';
  const change = (ratio - 1) * 100;
  return `${change < 0 ? '−' : '+'}${Math.abs(change).toFixed(1)} %`;
};

// "3 minutes ago", from a timestamp of the API.
export const age = (time, now = Date.now()) => {
  if (!time) return 'unknown';
  const seconds = Math.max(0, (now - Date.parse(time)) / 1000);
  for (const [size, unit] of [[86400 * 365, 'year'], [86400, 'day'], [3600, 'hour'], [60, 'minute']])
    if (seconds >= size) {
      const count = Math.floor(seconds / size);
      return `${count} ${unit}${count > 1 ? 's' : ''} ago`;
    }
  return 'just now';
};

export const moment = (time) => (time ? new Date(time).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'short' }) : 'unknown');

// "on_demand" -> "on demand"
export const words = (name) => (name ?? '').replaceAll('_', ' ');
