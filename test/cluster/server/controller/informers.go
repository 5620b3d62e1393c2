package main

import (
	"context"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// inform tells of all ConfigMaps and Leases, by shared informers with the
// default reflector. Returns what waits for the end of them.
func inform(ctx context.Context, client kubernetes.Interface, given settings, out *teller) (func(), error) {
	options := []informers.SharedInformerOption{informers.WithNamespace(given.namespace)}
	if given.watchSeconds > 0 {
		options = append(options, informers.WithTweakListOptions(func(options *metav1.ListOptions) {
			// Which a reflector asks for in watches alone.
			if options.AllowWatchBookmarks {
				options.TimeoutSeconds = &given.watchSeconds
			}
		}))
	}
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, options...)
	for resource, informer := range map[string]cache.SharedIndexInformer{
		"configmaps": factory.Core().V1().ConfigMaps().Informer(),
		"leases":     factory.Coordination().V1().Leases().Informer(),
	} {
		if err := informer.SetWatchErrorHandler(func(_ *cache.Reflector, err error) {
			out.failed("reflector of "+resource, err)
		}); err != nil {
			return nil, err
		}
		handled, err := informer.AddEventHandler(handlerOf(resource, out))
		if err != nil {
			return nil, err
		}
		go func() {
			if cache.WaitForCacheSync(ctx.Done(), handled.HasSynced) {
				out.tell(event{Kind: "synced", Object: resource})
			}
		}()
	}
	factory.Start(ctx.Done())
	return factory.Shutdown, nil
}

func handlerOf(resource string, out *teller) cache.ResourceEventHandler {
	tell := func(kind string, object any) {
		if _, missed := object.(cache.DeletedFinalStateUnknown); missed {
			key, _ := cache.DeletionHandlingMetaNamespaceKeyFunc(object)
			out.tell(event{Kind: "stale", Object: resource + " " + key})
			return
		}
		accessor, err := meta.Accessor(object)
		if err != nil {
			out.failed("event of "+resource, err)
			return
		}
		out.tell(event{Kind: kind, Object: resource + "/" + accessor.GetName(), Version: accessor.GetResourceVersion()})
	}
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { tell("add", object) },
		UpdateFunc: func(_, object any) { tell("update", object) },
		DeleteFunc: func(object any) { tell("delete", object) },
	}
}
