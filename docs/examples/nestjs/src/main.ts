import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { ContactController } from './contact.controller.js';

@Module({ controllers: [ContactController] })
class AppModule {}

const app = await NestFactory.create<NestExpressApplication>(AppModule);
app.set('trust proxy', 'loopback');
await app.listen(Number(process.env.PORT ?? 3000));
