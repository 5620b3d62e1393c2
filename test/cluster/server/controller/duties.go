package main

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	typed "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// write changes one ConfigMap again and again.
func write(ctx context.Context, to typed.ConfigMapInterface, given settings, out *teller) {
	one := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "written-by-" + given.name}}
	count := 0
	wait.UntilWithContext(ctx, func(ctx context.Context) {
		count++
		one.Data = map[string]string{"count": fmt.Sprint(count)}
		written, err := to.Update(ctx, one, metav1.UpdateOptions{})
		if errors.IsNotFound(err) {
			written, err = to.Create(ctx, one, metav1.CreateOptions{})
		}
		switch {
		case err == nil:
			out.tell(event{Kind: "wrote", Object: "configmaps/" + one.Name, Version: written.ResourceVersion})
		case ctx.Err() == nil:
			out.failed("write", err)
		}
	}, given.writeEvery)
}

// lead becomes the leader as soon as possible, and again after each loss.
func lead(ctx context.Context, client kubernetes.Interface, given settings, out *teller) {
	lock := &resourcelock.LeaseLock{
		LeaseMeta:  metav1.ObjectMeta{Namespace: given.namespace, Name: "held-by-" + given.name},
		Client:     client.CoordinationV1(),
		LockConfig: resourcelock.ResourceLockConfig{Identity: given.name},
	}
	wait.UntilWithContext(ctx, func(ctx context.Context) {
		leaderelection.RunOrDie(ctx, leaderelection.LeaderElectionConfig{
			Lock: lock,
			// In the proportions of client-go's own 15, 10 and 2 seconds.
			LeaseDuration:   given.lease,
			RenewDeadline:   given.lease * 2 / 3,
			RetryPeriod:     given.lease * 2 / 15,
			ReleaseOnCancel: true,
			Callbacks: leaderelection.LeaderCallbacks{
				OnStartedLeading: func(context.Context) { out.tell(event{Kind: "leading"}) },
				OnStoppedLeading: func() { out.tell(event{Kind: "lost"}) },
			},
		})
	}, time.Second)
}
