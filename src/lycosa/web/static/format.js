// Numbers, sizes, times and moments for people.

export const count = (value) => (value === null || value === undefined ? "–" : Number(value).toLocaleString("en"));

export function size(bytes) {
  if (bytes === null || bytes === undefined) return "–";
  if (bytes < 1000) return `${Math.round(bytes)} B`;
  let value = bytes / 1000;
  for (const unit of ["kB", "MB", "GB", "TB"]) {
    if (value < 999.95) return `${value.toFixed(1)} ${unit}`;
    value /= 1000;
  }
  return `${value.toFixed(1)} PB`;
}

export function duration(seconds) {
  if (seconds < 10) return `${Math.round(seconds * 10) / 10} s`;
  const minutes = Math.floor(Math.round(seconds) / 60);
  const rest = Math.round(seconds) % 60;
  if (!minutes) return `${rest} s`;
  if (minutes < 60) return rest ? `${minutes} min ${rest} s` : `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 ? `${hours} h ${minutes % 60} min` : `${hours} h`;
  return `${Math.floor(hours / 24)} days`;
}

// A stranger's table may hold a moment that no calendar has.
export function moment(seconds) {
  const date = new Date(seconds * 1000);
  return seconds && !Number.isNaN(date.getTime()) ? date.toISOString().slice(0, 19).replace("T", " ") + " UTC" : "–";
}

export function ago(seconds) {
  const passed = Date.now() / 1000 - seconds;
  return passed < 2 ? "just now" : `${duration(passed < 60 ? Math.round(passed) : Math.round(passed / 60) * 60)} ago`;
}

// Outcomes and refusals as the terminal says them (`lycosa.crawl.status.words`).
const OUTCOMES = {
  client_error: "refused (4xx)",
  server_error: "server error (5xx)",
  disallowed: "forbidden by robots.txt",
  unavailable: "unavailable (503)",
  too_many_requests: "too many requests (429)",
  name_failure: "no address for the name",
  connect_failure: "no connection",
  timeout: "no answer in time",
  soft_404: "error page with status 200",
  stale_connection: "connection closed without an answer",
  host_limit: "beyond the pages of a host",
  probe_honest: "made-up URL, answered by 404 or 410",
  probe_soft: "made-up URL, answered by a page",
  probe_inconclusive: "made-up URL, answered by something else",
  "too-deep": "too far from the seeds",
  "out-of-scope": "outside the scope",
  "loopback-only": "away from the servers on this machine",
  "known-copy": "other views of kept pages",
  nofollow: "marked nofollow",
  "refused-port": "port of another service",
  "outside-html": "outside the element html",
  post: "POST that the job does not name",
  "too-many-redirects": "too many redirects in a row",
  scheme: "neither http nor https",
  credentials: "with a user name or password",
  "too-long": "too long",
  invalid: "not a URL",
};
export const words = (name) => OUTCOMES[name] ?? String(name).replaceAll("_", " ");

const REASONS = {
  exhausted: "complete", pages: "limit of pages", bytes: "limit of bytes", seconds: "limit of time", stopped: "stopped", "stopped for all": "stopped on all machines",
  "free disk": "disk nearly full", unreachable: "the rest could not be reached", "no seed": "no seed could be fetched",
};
export const ending = (reason) => REASONS[reason] ?? reason;
