import { writeFileSync } from 'node:fs';
import { envExample, settingsTable } from './describe-settings.js';

const intro = `# Configuration

Saccade reads environment variables, and a \`.env\` file in the folder where it starts. A value that is not allowed
stops the start with one line that says which variable, what is wrong and what is allowed.

`;

// Both files are written from the settings class, so that the three cannot drift apart.
writeFileSync('.env.example', envExample());
writeFileSync('docs/configuration.md', `${intro}${settingsTable()}\n`);
