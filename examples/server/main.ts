import { isDoorwardError } from 'doorward';
import { readConfig } from './config.ts';
import { startServer } from './server.ts';

try {
  const server = await startServer(readConfig(process.env));
  console.log(`Doorward example server listening on ${server.url}`);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => void server.close().then(() => process.exit(0)));
  }
} catch (error) {
  console.error(isDoorwardError(error) ? `Cannot start: ${error.message}` : error);
  process.exit(1);
}
