import { isDoorwardError } from 'doorward';
import { readArguments, USAGE } from './arguments.ts';
import { startPolicyServer } from './server.ts';

const said = (error: unknown): string => (error instanceof Error ? error.message : String(error));

try {
  const server = await startPolicyServer(readArguments(process.argv.slice(2), process.env));
  console.log(`Doorward policy server listening on ${server.url}, policy ${server.revision()}`);
  process.on('SIGHUP', () => {
    try {
      server.reload();
      console.log(`Policy reloaded: ${server.revision()}`);
    } catch (error) {
      console.error(`Policy kept: ${said(error)}`);
    }
  });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => void server.close().then(() => process.exit(0)));
  }
} catch (error) {
  console.error(`Cannot start: ${said(error)}`);
  if (isDoorwardError(error)) console.error(`\n${USAGE}`);
  process.exit(1);
}
