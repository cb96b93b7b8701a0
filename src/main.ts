import { loadSettings, readEnvFile, SettingsError } from './config/load-settings.js';
import { MigrationError } from './database/migrate.js';
import { SaccadeError } from './errors/saccade-error.js';
import { startServer } from './server.js';

try {
  readEnvFile();
  await startServer(loadSettings(process.env));
} catch (error) {
  // What the operator can mend is told in one line; anything else keeps its stack.
  const isExpected =
    error instanceof SettingsError || error instanceof MigrationError || error instanceof SaccadeError;
  console.error(isExpected ? error.message : error);
  process.exit(1);
}
