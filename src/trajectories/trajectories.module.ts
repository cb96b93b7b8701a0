import { Module } from '@nestjs/common';
import { TrajectoryController } from './trajectory.controller.js';
import { TrajectoryRepository } from './trajectory.repository.js';

@Module({
  controllers: [TrajectoryController],
  providers: [TrajectoryRepository],
  exports: [TrajectoryRepository],
})
export class TrajectoriesModule {}
