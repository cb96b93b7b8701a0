import { Module } from '@nestjs/common';
import { PolicyRepository } from './policy.repository.js';

@Module({ providers: [PolicyRepository], exports: [PolicyRepository] })
export class PoliciesModule {}
