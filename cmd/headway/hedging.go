package main

import (
	"headway/api"
	"headway/internal/config"
)

// hedgeSettings lends the configuration of hedging to the API.
func hedgeSettings(h config.Hedge) api.HedgeSettings {
	out := api.HedgeSettings{Default: routeSettings(h.Default), Routes: map[string]api.RouteSettings{}, Rho: h.Rho, Currency: h.Currency,
		Prices: map[string]api.Price{}, BillsFull: map[string]bool{}, Queues: map[string]string{}, HoldoutShare: h.HoldoutShare, ValidFor: h.ValidFor}
	out.Default.Floor = max(out.Default.Floor, api.DefaultHedgeSettings().Default.Floor)
	for name, r := range h.Routes {
		out.Routes[name] = routeSettings(r)
	}
	for model, p := range h.Prices {
		out.Prices[model] = api.Price(p)
	}
	for name, p := range h.Providers {
		out.BillsFull[name] = p.CancelBillsFull
	}
	for name, c := range h.Channels {
		out.Queues[name] = c.Queue
	}
	return out
}

func routeSettings(r config.Route) api.RouteSettings {
	target, _ := r.TargetQuantile() // Load has checked it
	return api.RouteSettings{SideEffects: r.SideEffects, SharedQueue: r.SharedQueue, Floor: r.Floor, Cap: r.Cap, Timeout: r.Timeout,
		Target: target, Configured: r.HedgeAfter, Tier: api.Tier(r.Tier), Metric: r.Metric, Budget: r.Budget}
}
