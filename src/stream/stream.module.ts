import { Module } from '@nestjs/common';
import { LiveModule } from '../sessions/live/live.module.js';
import { StreamGateway } from './stream.gateway.js';

@Module({ imports: [LiveModule], providers: [StreamGateway] })
export class StreamModule {}
