import { INestApplication } from '@nestjs/common';
import { DocumentBuilder, OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import type { Response } from 'express';
import { asyncApiDocument, STREAM_MODELS } from '../stream/asyncapi.js';

export function openApiDocument(app: INestApplication): OpenAPIObject {
  const config = new DocumentBuilder()
    .setTitle('Saccade')
    .setDescription(
      'Spatial questions about the video an agent is seeing. Errors are RFC 9457 problem details.',
    )
    .setVersion('0.1.0')
    .build();
  return SwaggerModule.createDocument(app, config, { extraModels: STREAM_MODELS });
}

/** `/docs` for people, `/docs/openapi.json` and `/docs/asyncapi.json` for programs. */
export function serveDocs(app: INestApplication): void {
  app.use('/docs/asyncapi.json', (_request: unknown, response: Response) => {
    response.json(asyncApiDocument(openApiDocument(app)));
  });
  SwaggerModule.setup('docs', app, () => openApiDocument(app), { jsonDocumentUrl: 'docs/openapi.json' });
}
