/** Returns a batch of realistic log entries of about 200 bytes each. The batch depends only on the seed. */
export function logBody(count: number, seed: number): Buffer {
  const random = randomOf(seed + 1);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;
  const base = Date.UTC(2026, 10, 1) + seed * 60_000;
  const entries = Array.from({ length: count }, (_, i) => ({
    timestamp: new Date(base + i * 7).toISOString(),
    level: pick(LEVELS),
    message: `${pick(METHODS)} ${pick(PATHS)} answered ${pick(STATUSES)} in ${Math.floor(random() * 900)} ms`,
    attributes: {
      host: `web-${Math.floor(random() * 20)}`,
      user_id: Math.floor(random() * 1e6),
      region: pick(REGIONS),
      cached: random() < 0.5,
    },
  }));
  return Buffer.from(JSON.stringify({ entries }));
}

const LEVELS = ["info", "info", "info", "debug", "warn", "error"];
const METHODS = ["GET", "GET", "POST", "PUT", "DELETE"];
const PATHS = ["/api/orders", "/api/orders/42/items", "/login", "/assets/app.js", "/api/users/me"];
const STATUSES = [200, 200, 201, 304, 404, 500];
const REGIONS = ["eu-central-1", "us-east-1", "ap-south-1"];

/** A small linear congruential generator: it returns the same numbers in every run. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}
