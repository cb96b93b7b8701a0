import { Module } from '@nestjs/common';
import { KeyframeController } from './keyframe.controller.js';
import { SessionRepository } from './session.repository.js';

@Module({ controllers: [KeyframeController], providers: [SessionRepository] })
export class SessionsModule {}
