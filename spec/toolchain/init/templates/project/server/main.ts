// Configured with the environment variables PORT, HOST and NODE_ENV.
import { describePlace, listen, unsupportedPlaces } from '@colophon/toolkit/server';
import { pino } from 'pino';
import { createApp } from './app.ts';
import { BASE_PATH, document } from './contract.ts';
import { errorFormat } from './error-format.ts';
import { createServices } from './services.ts';

/** Time for requests in flight to finish when the server stops, in milliseconds. */
const REQUEST_GRACE_MS = 10_000;

const { PORT = '3000', HOST = '127.0.0.1', NODE_ENV } = process.env;

const listener = await listen(Number(PORT), HOST, { errorFormat });
listener.serve(
  createApp({ log: pino(), services: createServices(), validateResponses: NODE_ENV !== 'production' }),
);
for (const place of unsupportedPlaces(document)) {
  console.warn(`Not served: ${describePlace(place)}`);
}
console.log(`Documentation: http://${HOST}:${listener.port}${BASE_PATH}/docs`);

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  // A second signal ends the process at once.
  process.once(signal, () => void listener.close(REQUEST_GRACE_MS));
}
